package main

import (
	"bufio"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Stream is as much of a WebSocket client as the venue's streams need. Real bots use a package such as
// github.com/coder/websocket.
type Stream struct {
	conn   net.Conn
	reader *bufio.Reader
}

// OpenStream connects to a socket of the venue.
func OpenStream(venue, path string) (*Stream, error) {
	address, err := url.Parse(venue)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", address.Host)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 16)
	rand.Read(key)
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n",
		path, address.Host, base64.StdEncoding.EncodeToString(key))
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return nil, errors.New(response.Status)
	}
	return &Stream{conn, reader}, nil
}

// Send sends a frame as JSON.
func (s *Stream) Send(frame any) error {
	payload, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return s.write(0x1, payload)
}

// Read decodes the next frame that is not a ping.
func (s *Stream) Read(frame any) error {
	for {
		kind, payload, err := s.read()
		if err != nil {
			return err
		}
		switch kind {
		case 0x1:
			return json.Unmarshal(payload, frame)
		case 0x8:
			return errors.New("the venue closed the stream")
		case 0x9:
			if err := s.write(0xA, payload); err != nil {
				return err
			}
		}
	}
}

// Close ends the connection.
func (s *Stream) Close() error { return s.conn.Close() }

func (s *Stream) write(kind byte, payload []byte) error {
	frame := []byte{0x80 | kind}
	if len(payload) < 126 {
		frame = append(frame, 0x80|byte(len(payload)))
	} else {
		frame = binary.BigEndian.AppendUint16(append(frame, 0xFE), uint16(len(payload)))
	}
	mask := make([]byte, 4)
	rand.Read(mask)
	frame = append(frame, mask...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	_, err := s.conn.Write(frame)
	return err
}

func (s *Stream) read() (kind byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err = io.ReadFull(s.reader, head); err != nil {
		return
	}
	size := uint64(head[1])
	if size >= 126 {
		length := make([]byte, 2)
		if size == 127 {
			length = make([]byte, 8)
		}
		if _, err = io.ReadFull(s.reader, length); err != nil {
			return
		}
		size = 0
		for _, b := range length {
			size = size<<8 | uint64(b)
		}
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(s.reader, payload)
	return head[0] & 0xF, payload, err
}
