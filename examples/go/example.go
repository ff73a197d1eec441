// Follows a book and the own orders, places an order, reads it, and cancels it.
//
//	BOURSE_KEY=… BOURSE_SECRET=… go run .
package main

import (
	"fmt"
	"log"
	"net/url"
	"os"
	"time"
)

const symbol = "BTC-USDT"

func main() {
	venue := os.Getenv("BOURSE_URL")
	if venue == "" {
		venue = "http://127.0.0.1:8080"
	}
	if err := run(&Client{URL: venue, Key: os.Getenv("BOURSE_KEY"), Secret: os.Getenv("BOURSE_SECRET")}); err != nil {
		log.Fatal(err)
	}
}

func run(client *Client) error {
	books, err := client.Subscribe("/ws/oss/spot", false, "update:"+symbol+"_0")
	if err != nil {
		return err
	}
	defer books.Close()
	var book Book
	if err = follow(&book, books); err != nil {
		return err
	}
	bids, asks := book.Bids(), book.Asks()
	fmt.Println("bid", bids[0][0], bids[0][1], "ask", asks[0][0], asks[0][1])

	orders, err := client.Subscribe("/ws/spot", true, "notificationApiV3")
	if err != nil {
		return err
	}
	defer orders.Close()

	// The worst bid of the book: an order there waits.
	price := bids[len(bids)-1][0]
	clientID := fmt.Sprintf("example-%d", time.Now().UnixNano())
	var placed []struct{ OrderID string }
	order := map[string]string{
		"symbol": symbol, "orderSide": "BUY", "orderType": "LIMIT",
		"orderSize": "0.001", "orderPrice": price, "clOrderId": clientID,
	}
	if err = client.Request("POST", "/spot/api/v4/trade/orders", nil, order, &placed); err != nil {
		return err
	}
	fmt.Println("placed", clientID, "at", price)

	var read struct{ OrderState string }
	query := url.Values{"orderId": {placed[0].OrderID}}
	if err = client.Request("GET", "/spot/api/v4/trade/order", query, nil, &read); err != nil {
		return err
	}
	fmt.Println("read", read.OrderState)

	query.Set("symbol", symbol)
	if err = client.Request("DELETE", "/spot/api/v4/trade/orders", query, nil, &placed); err != nil {
		return err
	}
	for status := 0; status != 6; {
		var notification struct {
			Data struct {
				ClOrderID string
				Status    int
			}
		}
		if err = orders.Read(&notification); err != nil {
			return err
		}
		status = notification.Data.Status
		fmt.Println("notified of", notification.Data.ClOrderID, "status", status)
	}
	// The own order has changed the book meanwhile.
	return follow(&book, books)
}

// follow folds the next frame of a book.
func follow(book *Book, books *Stream) error {
	var frame BookFrame
	if err := books.Read(&frame); err != nil {
		return err
	}
	if !book.Fold(frame) {
		return fmt.Errorf("a frame is missing")
	}
	return nil
}
