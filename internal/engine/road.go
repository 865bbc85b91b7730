package engine

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/broker"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Values of [contract.Engine].Credential: the run program keeps the credential and serves a broker, the CLI holds it itself,
// or there is none.
const (
	CredentialBroker = "broker"
	CredentialDirect = "direct"
	CredentialNone   = "none"
)

// vendor is where the CLI asks when it is not told otherwise.
const vendor = "https://api.anthropic.com"

// Bounds of what the CLI may ask for. It is told the first; it takes eight turns at most and tries each three times.
const (
	answerTokens = 64_000
	callLimit    = 32
)

// upstreamOf reads the host of a pin. A CLI that holds the credential itself can be pinned to no host but the vendor's, where it
// asks unless it is told otherwise, and to this machine.
func upstreamOf(pin contract.EnginePin) (broker.Upstream, error) {
	upstream, err := broker.ParseUpstream(pin.Upstream)
	if err != nil {
		return broker.Upstream{}, errors.New("field engines.upstream: " + err.Error())
	}
	if pin.Credential == CredentialDirect && !upstream.Loopback && strings.TrimSuffix(pin.Upstream, "/") != vendor {
		return broker.Upstream{}, errors.New("field engines.upstream: with the credential direct only " + vendor + " and http on loopback are possible")
	}
	return upstream, nil
}

// access is what a CLI is told: the address to ask at, "" for the vendor's, and a token.
type access struct{ address, token string }

// direct is the access of a CLI that holds the credential itself.
func (c *Claude) direct() access {
	told := access{token: c.credential.Reveal()}
	if c.upstream.Loopback {
		told.address = c.pin.Upstream
	}
	return told
}

// serve makes the listener that the CLI can reach its road to the model. The first request that is refused calls ended.
func (c *Claude) serve(ctx context.Context, listener net.Listener, request Request, ended func()) (*broker.Broker, error) {
	// It outlives a cancellation: a CLI that is told to end says how it ended before its road is closed.
	road, err := broker.Serve(context.WithoutCancel(ctx), listener, broker.Config{
		Dialect: broker.Messages(), Upstream: c.upstream, Credential: c.credential, Model: request.Model, Schema: request.Schema,
		AnswerTokens: answerTokens, Requests: callLimit, BudgetMicrousd: request.Limits.CostMicrousd, Price: c.pin.Prices[request.Model],
		Clock: c.clock,
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() {
		select {
		case <-road.Ended():
			ended()
		case <-ctx.Done():
		}
	}()
	return road, nil
}
