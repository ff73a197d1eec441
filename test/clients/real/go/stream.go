package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/thrasher-corp/gocryptotrader/exchanges/btse"
	"github.com/thrasher-corp/gocryptotrader/exchanges/order"
	"github.com/thrasher-corp/gocryptotrader/exchanges/trade"
)

// followedStream has what the wrapper made of the frames of its stream.
type followedStream struct {
	lock   sync.Mutex
	orders []*order.Detail
	public int
	errs   []error
}

// follow takes what the wrapper sends to its engine. A frame that it cannot read is an error there.
func follow(e *btse.Exchange) *followedStream {
	f := new(followedStream)
	go func() {
		for payload := range e.Websocket.DataHandler.C {
			f.lock.Lock()
			switch data := payload.Data.(type) {
			case error:
				f.errs = append(f.errs, data)
			case *order.Detail:
				f.orders = append(f.orders, data)
			case trade.Data:
				if data.Price > 0 && data.Amount > 0 && data.TID != "0" && !data.Timestamp.IsZero() {
					f.public++
				} else {
					f.errs = append(f.errs, fmt.Errorf("a trade without its fields: %+v", data))
				}
			default:
				f.errs = append(f.errs, fmt.Errorf("unexpected: %T %+v", data, data))
			}
			f.lock.Unlock()
		}
	}()
	return f
}

func (f *followedStream) order(id string, status order.Status) *order.Detail {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, each := range f.orders {
		if each.OrderID == id && each.Status == status && each.Price > 0 && each.Amount > 0 {
			return each
		}
	}
	return nil
}

func (f *followedStream) trades() int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.public
}

func (f *followedStream) trouble() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	return errors.Join(f.errs...)
}

// eventually is a call whose value comes by itself, through the stream.
func eventually(name string, isThere func() bool) {
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if isThere() {
			tell(name, "ok", "")
			return
		}
	}
	tell(name, "failed", "nothing within 20 s")
}
