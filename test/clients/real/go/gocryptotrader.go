// GoCryptoTrader's wrapper for BTSE (spot v3.2, futures v2.1): its methods over REST and its stream. It is built inside the module
// of GoCryptoTrader, in which it takes the place of a command (install.ts). Each call is a line of JSON, as in python/calls.py.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/thrasher-corp/gocryptotrader/currency"
	"github.com/thrasher-corp/gocryptotrader/exchange/accounts"
	exchange "github.com/thrasher-corp/gocryptotrader/exchanges"
	"github.com/thrasher-corp/gocryptotrader/exchanges/asset"
	"github.com/thrasher-corp/gocryptotrader/exchanges/btse"
	"github.com/thrasher-corp/gocryptotrader/exchanges/fundingrate"
	"github.com/thrasher-corp/gocryptotrader/exchanges/kline"
	"github.com/thrasher-corp/gocryptotrader/exchanges/order"
)

func tell(name, verdict, detail string) {
	line, _ := json.Marshal(struct {
		Name    string `json:"name"`
		Verdict string `json:"verdict"`
		Detail  string `json:"detail"`
	}{name, verdict, detail})
	fmt.Println(string(line))
}

// call makes a call. The problem that it returns says what is wrong with the reply.
func call(name string, act func() (string, error)) bool {
	problem, err := act()
	switch {
	case err != nil:
		tell(name, "failed", err.Error())
	case problem != "":
		tell(name, "failed", problem)
	default:
		tell(name, "ok", "")
	}
	return err == nil && problem == ""
}

// refused makes a call that the venue refuses with this text.
func refused(name, text string, act func() error) { fails(name, "refused", text, act) }

// own makes a call that fails by the client's own mistake, which it would make at BTSE too.
func own(name, text string, act func() error) { fails(name, "own", text, act) }

func fails(name, verdict, text string, act func() error) {
	switch err := act(); {
	case err == nil:
		tell(name, "failed", "no error")
	case strings.Contains(err.Error(), text):
		tell(name, verdict, err.Error())
	default:
		tell(name, "failed", err.Error())
	}
}

func unless(isRight bool, value any) string {
	if isRight {
		return ""
	}
	return fmt.Sprintf("%+v", value)
}

func main() {
	ctx := context.Background()
	url := os.Getenv("BOURSE_URL")
	stream := strings.Replace(url, "http", "ws", 1) + "/ws/spot"
	e := new(btse.Exchange)
	e.SetDefaults()
	e.Accounts = accounts.MustNewAccounts(e)
	route := new(followed)
	trackReads(route)
	settings, err := e.GetStandardConfig()
	if err == nil {
		settings.API.AuthenticatedSupport = true
		settings.API.AuthenticatedWebsocketSupport = true
		err = e.Setup(settings)
	}
	if err == nil {
		err = e.Requester.SetHTTPClient(&http.Client{Transport: route, Timeout: settings.HTTPTimeout})
	}
	if err != nil {
		panic(err)
	}
	for endpoint, at := range map[exchange.URL]string{
		exchange.RestSpot: url, exchange.RestFutures: url, exchange.WebsocketSpot: stream,
	} {
		if err := e.API.Endpoints.SetRunningURL(endpoint.String(), at); err != nil {
			panic(err)
		}
	}
	e.Verbose = false
	e.SetCredentials(&accounts.Credentials{Key: os.Getenv("BOURSE_KEY"), Secret: os.Getenv("BOURSE_SECRET")})

	spot := currency.NewPairWithDelimiter("BTC", "USDT", "-")
	future := currency.NewPair(currency.BTC, currency.PFC)
	call("UpdateTradablePairs", func() (string, error) {
		err := e.UpdateTradablePairs(ctx)
		found, _ := e.GetAvailablePairs(asset.Futures)
		return unless(found.Contains(future, false), found), err
	})
	for a, pair := range map[asset.Item]currency.Pair{asset.Spot: spot, asset.Futures: future} {
		if err := e.CurrencyPairs.EnablePair(a, pair); err != nil && !errors.Is(err, currency.ErrPairAlreadyEnabled) {
			tell(fmt.Sprintf("EnablePair %s %s", a, pair), "failed", err.Error())
		}
	}
	call("GetServerTime", func() (string, error) {
		at, err := e.GetServerTime(ctx, asset.Spot)
		return unless(time.Since(at).Abs() < time.Minute, at), err
	})
	var last float64
	for a, pair := range map[asset.Item]currency.Pair{asset.Futures: future, asset.Spot: spot} {
		of := func(method string) string { return fmt.Sprintf("%s %s", method, a) }
		call(of("UpdateTickers"), func() (string, error) { return "", e.UpdateTickers(ctx, a) })
		call(of("UpdateTicker"), func() (string, error) {
			t, err := e.UpdateTicker(ctx, pair, a)
			if err != nil {
				return "", err
			}
			last = t.Last
			return unless(t.Last > 0 && t.Bid > 0 && t.Ask > 0 && t.High > 0 && t.Low > 0, t), nil
		})
		call(of("UpdateOrderbook"), func() (string, error) {
			book, err := e.UpdateOrderbook(ctx, pair, a)
			if err != nil {
				return "", err
			}
			return unless(len(book.Bids) > 0 && len(book.Asks) > 0, book), nil
		})
		call(of("GetRecentTrades"), func() (string, error) {
			trades, err := e.GetRecentTrades(ctx, pair, a)
			if err != nil {
				return "", err
			}
			return unless(len(trades) > 0 && trades[0].Price > 0 && trades[0].Amount > 0 && trades[0].TID != "", trades), nil
		})
		call(of("GetHistoricCandles"), func() (string, error) {
			end := time.Now().Truncate(time.Minute).Add(time.Minute)
			_, err := e.GetHistoricCandles(ctx, pair, a, kline.OneMin, end.Add(-10*time.Minute), end)
			return "", err
		})
		call(of("UpdateOrderExecutionLimits"), func() (string, error) { return "", e.UpdateOrderExecutionLimits(ctx, a) })
		call(of("GetFeeByType"), func() (string, error) {
			fee, err := e.GetFeeByType(ctx, &exchange.FeeBuilder{
				FeeType: exchange.CryptocurrencyTradeFee, Pair: spot, PurchasePrice: 1000, Amount: 1,
			})
			return unless(fee > 0, fee), err
		})
	}
	call("FetchOrderbookL2", func() (string, error) {
		book, err := e.FetchOrderbookL2(ctx, "BTC-USDT", 5)
		return unless(len(book.BuyQuote) > 0, book), err
	})
	call("GetPrice", func() (string, error) {
		price, err := e.GetPrice(ctx, "BTC-USDT")
		return unless(len(price) == 1 && price[0].LastPrice > 0 && price[0].IndexPrice > 0, price), err
	})
	call("FetchFundingHistory", func() (string, error) {
		_, err := e.FetchFundingHistory(ctx, "")
		return "", err
	})
	call("GetFuturesContractDetails", func() (string, error) {
		contracts, err := e.GetFuturesContractDetails(ctx, asset.Futures)
		return unless(len(contracts) > 0 && contracts[0].SettlementCurrency.Equal(currency.USDT), contracts), err
	})
	call("GetLatestFundingRates", func() (string, error) {
		rates, err := e.GetLatestFundingRates(ctx, &fundingrate.LatestRateRequest{Asset: asset.Futures, Pair: future})
		return unless(len(rates) > 0, rates), err
	})
	call("GetOpenInterest", func() (string, error) {
		found, err := e.GetOpenInterest(ctx)
		return unless(len(found) > 0, found), err
	})

	// --- the account ---
	call("ValidateAPICredentials", func() (string, error) { return "", e.ValidateAPICredentials(ctx, asset.Spot) })
	call("UpdateAccountBalances", func() (string, error) {
		balances, err := e.UpdateAccountBalances(ctx, asset.Spot)
		if err != nil {
			return "", err
		}
		held := balances[0].Balances[currency.USDT]
		return unless(held.Total > 0 && held.Free > 0, balances), nil
	})
	call("GetFeeInformation", func() (string, error) {
		fees, err := e.GetFeeInformation(ctx, "")
		return unless(len(fees) > 0 && fees[0].TakerFee > 0, fees), err
	})
	call("GetWalletHistory", func() (string, error) {
		history, err := e.GetWalletHistory(ctx, "USDT", time.Time{}, time.Time{}, 10)
		return unless(len(history) > 0, history), err
	})
	refused("GetWalletAddress", "no deposit addresses", func() error {
		_, err := e.GetWalletAddress(ctx, "USDT")
		return err
	})
	refused("WalletWithdrawal", "no withdrawals", func() error {
		_, err := e.WalletWithdrawal(ctx, "USDT", "address", "", "10")
		return err
	})

	// --- its stream ---
	seen := follow(e)
	e.SetTradeFeedStatus(true)
	e.CurrencyPairs.StorePairs(asset.Spot, currency.Pairs{spot}, true)
	call("Websocket: connect", func() (string, error) {
		if err := e.Websocket.SetWebsocketURL(stream, false, false); err != nil {
			return "", err
		}
		return "", e.Websocket.Enable(ctx)
	})
	eventually("Websocket: login", e.Websocket.CanUseAuthenticatedEndpoints)

	// --- orders: the wrapper trades on spot only ---
	submit := func(price float64, side order.Side, clientID string) (*order.SubmitResponse, error) {
		return e.SubmitOrder(ctx, &order.Submit{
			Exchange: e.Name, Pair: spot, AssetType: asset.Spot, Type: order.Limit, Side: side, Price: price, Amount: 0.001,
			ClientID: clientID, ClientOrderID: clientID, TimeInForce: order.GoodTillCancel,
		})
	}
	low := float64(int(last * 0.97))
	var id, taken string
	call("SubmitOrder", func() (string, error) {
		response, err := submit(low, order.Buy, "gct-1")
		if err != nil {
			return "", err
		}
		id = response.OrderID
		return unless(id != "", response), nil
	})
	call("CreateOrder", func() (string, error) {
		orders, err := e.CreateOrder(ctx, "", 0, false, low, "BUY", 0.002, 0, 0, "BTC-USDT", "GTC", 0, 0, "", "LIMIT")
		return unless(len(orders) == 1 && orders[0].Size == 0.002 && orders[0].OrderID != "", orders), err
	})
	call("GetOrders", func() (string, error) {
		orders, err := e.GetOrders(ctx, "BTC-USDT", id, "")
		return unless(len(orders) == 1 && orders[0].OrderID == id && orders[0].Size == 0.001, orders), err
	})
	// These two ask for the fills of an order without its symbol, which BTSE demands on spot.
	own("GetOrderInfo", "unable to get order fills", func() error {
		_, err := e.GetOrderInfo(ctx, id, spot, asset.Spot)
		return err
	})
	own("GetActiveOrders", "no orders", func() error {
		orders, err := e.GetActiveOrders(ctx, &order.MultiOrderRequest{
			Pairs: currency.Pairs{spot}, AssetType: asset.Spot, Type: order.AnyType, Side: order.AnySide,
		})
		if err == nil && len(orders) == 0 {
			err = errors.New("no orders, although two are open")
		}
		return err
	})
	call("CancelOrder", func() (string, error) {
		return "", e.CancelOrder(ctx, &order.Cancel{OrderID: id, Pair: spot, AssetType: asset.Spot})
	})
	call("CancelAllOrders", func() (string, error) {
		response, err := e.CancelAllOrders(ctx, &order.Cancel{Pair: spot, AssetType: asset.Spot})
		return unless(len(response.Status) > 0, response), err
	})
	call("CancelAllAfter", func() (string, error) { return "", e.CancelAllAfter(ctx, 60_000) })
	// It does not read the reply.
	call("IndexOrderPeg", func() (string, error) {
		_, err := e.IndexOrderPeg(ctx, "", 1, false, low+2000, "BUY", 0.002, 100, 0, "BTC-USDT", "GTC", 0, 0, "", "PEG")
		return "", err
	})
	call("SubmitOrder at the market", func() (string, error) {
		response, err := submit(float64(int(last*1.02)), order.Buy, "gct-2")
		if err != nil {
			return "", err
		}
		taken = response.OrderID
		return unless(response.OrderID != "", response), nil
	})
	eventually("Websocket: the order", func() bool { return seen.order(id, order.New) != nil })
	eventually("Websocket: its end", func() bool { return seen.order(id, order.Cancelled) != nil })
	eventually("Websocket: the fill", func() bool { return seen.order(taken, order.Filled) != nil })
	eventually("Websocket: public trades", func() bool { return seen.trades() > 0 })
	call("Websocket: unsubscribe", func() (string, error) {
		return "", e.Unsubscribe(e.Websocket.GetSubscriptions())
	})
	call("Websocket: shutdown", func() (string, error) { return "", e.Websocket.Shutdown() })
	call("Websocket: every frame was understood", func() (string, error) { return "", seen.trouble() })
	call("TradeHistory", func() (string, error) {
		trades, err := e.TradeHistory(ctx, "BTC-USDT", time.Time{}, time.Time{}, 0, 0, 0, false, "", "")
		return unless(len(trades) > 0 && trades[0].FilledSize > 0 && trades[0].OrderID != "", trades), err
	})
	call("GetOrderHistory", func() (string, error) {
		_, err := e.GetOrderHistory(ctx, &order.MultiOrderRequest{
			Pairs: currency.Pairs{spot}, AssetType: asset.Spot, Type: order.AnyType, Side: order.AnySide,
		})
		return "", err
	})
}
