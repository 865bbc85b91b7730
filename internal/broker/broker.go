package broker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// Bounds of what a client may do.
const (
	headerLimit    = 10 * time.Second // to send the head of a request
	bodyLimit      = 60 * time.Second // to send its body
	headerBytes    = 32 << 10
	bodyBytes      = 16 << 20 // the CLI refuses a prompt of more than 10 MB, which escapes make longer
	answerBytes    = 64 << 20
	maxConnections = 16
)

// Config is what a broker is made for: one Run.
type Config struct {
	// Dialect is the API that the CLI speaks.
	Dialect Dialect
	// Upstream is the one host.
	Upstream Upstream
	// Credential is the model credential. It goes into the header of a forwarded request and nowhere else.
	Credential secret.Credential
	// Model is the full id of the one model that may be asked.
	Model string
	// Schema is the answer's schema as the CLI is given it.
	Schema []byte
	// AnswerTokens bounds each answer, Requests how many there are, at most 64.
	AnswerTokens, Requests int64
	// BudgetMicrousd is the most that the Run may cost, at Price.
	BudgetMicrousd int64
	Price          contract.Price
	// Clock is the time, for a client's deadlines.
	Clock func() time.Time
}

// Broker serves one Run. Its methods may be called at any time, from any goroutine.
type Broker struct {
	config    Config
	want      Wanted
	token     string
	host      string
	transport *http.Transport
	server    *http.Server
	account   *account
	served    chan struct{}

	mutex   sync.Mutex
	refused Refusal
	ended   chan struct{} // closed by the first refusal
	closed  bool
	calls   sync.WaitGroup
}

// Serve begins to serve and returns at once. It takes over the listener. The broker ends with the context or with Close,
// which is to be called in any case.
func Serve(ctx context.Context, listener net.Listener, config Config) (*Broker, error) {
	schema, err := contract.Canonicalize(config.Schema)
	if err != nil {
		return nil, fmt.Errorf("read the answer's schema: %w", err)
	}
	if config.Upstream.host == "" || config.Requests < 1 || config.Requests > maxRequests ||
		config.AnswerTokens < 1 || config.AnswerTokens > maxTokens || config.Price.ContextTokens < 1 || config.Price.ContextTokens > maxTokens {
		return nil, errors.New("a broker needs a host, and bounds in their ranges")
	}
	b := &Broker{
		config: config, want: Wanted{Model: config.Model, Schema: schema, AnswerTokens: config.AnswerTokens},
		token: "airlock-run-" + rand.Text(), host: listener.Addr().String(), transport: config.Upstream.transport(),
		account: &account{price: config.Price, budget: config.BudgetMicrousd, limit: config.Requests},
		served:  make(chan struct{}), ended: make(chan struct{}),
	}
	b.server = &http.Server{
		Handler:           http.HandlerFunc(b.serve),
		ReadHeaderTimeout: headerLimit,
		IdleTimeout:       headerLimit,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // its lines quote what a client sent
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       withConnection,
		ConnState:         connectionState,
	}
	stop := context.AfterFunc(ctx, func() { _ = b.server.Close() }) // what is open is lost, as it is meant to be
	go func() {
		defer close(b.served)
		defer stop()
		// It always returns an error: that it was closed.
		_ = b.server.Serve(&gate{Listener: listener, malformed: func() { b.refuse(RefusedForm) }, room: make(chan struct{}, maxConnections)})
	}()
	return b, nil
}

// Token is the worthless token that the CLI is given. It opens this broker and nothing else.
func (b *Broker) Token() string { return b.token }

// Ended is closed as soon as a request was refused: the Run is over.
func (b *Broker) Ended() <-chan struct{} { return b.ended }

// Close ends every request, waits for the last byte to be counted, and returns what the Run has used and the first refusal, or
// "". What comes later changes neither. It may be called more than once.
func (b *Broker) Close() (contract.Usage, Refusal) {
	b.mutex.Lock()
	b.closed = true
	b.mutex.Unlock()
	_ = b.server.Close() // a connection that cannot be closed is closed already
	<-b.served
	b.calls.Wait()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.account.usage(), b.refused
}

// refuse records the first refusal.
func (b *Broker) refuse(why Refusal) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.refused == "" && !b.closed {
		b.refused = why
		close(b.ended)
	}
}

// enter reports whether a request may still be looked at, and holds Close back until leave.
func (b *Broker) enter() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.closed || b.refused != "" {
		return false
	}
	b.calls.Add(1)
	return true
}
