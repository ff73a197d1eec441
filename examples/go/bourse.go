package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Client signs requests with the standard library alone. It is for one goroutine.
type Client struct {
	URL, Key, Secret string
	nonce            int64
}

// VenueError is a refusal: the HTTP status, and what the answer says.
type VenueError struct {
	Status int
	Body   string
}

func (e *VenueError) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Body) }

func (c *Client) sign(text string) string {
	mac := hmac.New(sha512.New384, []byte(c.Secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// nextNonce is the time in milliseconds, and never the same twice.
func (c *Client) nextNonce() string {
	c.nonce = max(c.nonce+1, time.Now().UnixMilli())
	return strconv.FormatInt(c.nonce, 10)
}

// Request decodes the reply into reply. It returns a *VenueError if the venue refuses.
func (c *Client) Request(method, path string, query url.Values, body, reply any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, c.URL+path+"?"+query.Encode(), bytes.NewReader(text))
	if err != nil {
		return err
	}
	// /spot and /futures in front of the path, and the query, are not signed.
	signed := strings.TrimPrefix(strings.TrimPrefix(path, "/spot"), "/futures")
	nonce := c.nextNonce()
	request.Header.Set("request-api", c.Key)
	request.Header.Set("request-nonce", nonce)
	request.Header.Set("request-sign", c.sign(signed+nonce+string(text)))
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &VenueError{response.StatusCode, string(answer)}
	}
	return json.Unmarshal(answer, reply)
}

// Subscribe opens a socket of the streams and subscribes topics.
func (c *Client) Subscribe(path string, login bool, topics ...string) (*Stream, error) {
	stream, err := OpenStream(c.URL, path)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Event   string
		Success bool
		Message string
		Errors  json.RawMessage
	}
	if login {
		nonce := c.nextNonce()
		args := []string{c.Key, nonce, c.sign(path + nonce)}
		if err = stream.Send(map[string]any{"op": "authKeyExpires", "args": args}); err != nil {
			return nil, err
		}
		if err = stream.Read(&answer); err != nil {
			return nil, err
		}
		if !answer.Success {
			return nil, fmt.Errorf("the login was refused: %s", answer.Message)
		}
	}
	if err = stream.Send(map[string]any{"op": "subscribe", "args": topics}); err != nil {
		return nil, err
	}
	if err = stream.Read(&answer); err != nil {
		return nil, err
	}
	if answer.Event != "subscribe" {
		return nil, fmt.Errorf("refused: %s", answer.Errors)
	}
	return stream, nil
}

// Level is a price and a size.
type Level [2]string

// BookFrame is a frame of a topic update:SYM_G.
type BookFrame struct {
	Data struct {
		Type       string
		Bids, Asks []Level
		SeqNum     int64
		PrevSeqNum int64
	}
}

// Book is a book from its stream: a snapshot, then deltas.
type Book struct {
	bids, asks map[string]string
	seqNum     int64
}

// Fold returns false if a frame is missing: subscribe again.
func (b *Book) Fold(frame BookFrame) bool {
	data := frame.Data
	if data.Type == "snapshot" {
		b.bids, b.asks = map[string]string{}, map[string]string{}
	} else if data.PrevSeqNum != b.seqNum {
		return false
	}
	b.seqNum = data.SeqNum
	apply(b.bids, data.Bids)
	apply(b.asks, data.Asks)
	return true
}

func apply(side map[string]string, levels []Level) {
	for _, level := range levels {
		if level[1] == "0" {
			delete(side, level[0])
		} else {
			side[level[0]] = level[1]
		}
	}
}

// Bids are best first.
func (b *Book) Bids() []Level { return sorted(b.bids, func(a, b float64) bool { return a > b }) }

// Asks are best first.
func (b *Book) Asks() []Level { return sorted(b.asks, func(a, b float64) bool { return a < b }) }

func sorted(side map[string]string, isBetter func(a, b float64) bool) []Level {
	levels := make([]Level, 0, len(side))
	for price, size := range side {
		levels = append(levels, Level{price, size})
	}
	number := func(i int) float64 {
		value, _ := strconv.ParseFloat(levels[i][0], 64)
		return value
	}
	sort.Slice(levels, func(i, j int) bool { return isBetter(number(i), number(j)) })
	return levels
}
