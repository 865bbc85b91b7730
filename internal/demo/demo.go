// Package demo plays the runner of GitHub Actions and the people around one pull request: an emulated GitHub, the three
// programs as separate processes of separate binaries, each with exactly the environment that its job would have, artifacts
// passing by id and digest, and an account of what each did, made from the records they wrote.
//
// It imports the emulator, the records and pure functions over them; the programs themselves it only starts.
package demo

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// The engines of a demo.
const (
	EngineReplay = "replay"
	EngineClaude = "claude"
)

// Options are what the demo is asked for.
type Options struct {
	// Folder is another scenario; empty is the embedded one.
	Folder string
	// Out keeps every record; empty keeps none. It is a new or an empty folder.
	Out string
	// RepeatApply is how often each Result is applied, at least once.
	RepeatApply int
	// Fault is KIND@K, a fault at the K-th API call of the first apply, or KIND, at the first call that the kind is about.
	Fault string
	// Engine is [EngineReplay] or [EngineClaude].
	Engine string
	// Programs is a folder with the three programs; empty builds them.
	Programs string
	// JSON prints one JSON document instead of the account.
	JSON bool

	// Env is the caller's environment: PATH, what the go command needs, and for the claude engine its credential and
	// AIRLOCK_CLI.
	Env map[string]string
	Now func() time.Time
	// Temporary is where the demo's own folder is made; it is removed on every way out.
	Temporary string
	// Stdout gets the account. Progress gets one line a step; nil where nobody watches.
	Stdout   io.Writer
	Progress io.Writer
}

// stage is one demo under way.
type stage struct {
	Options
	scenario *Scenario
	fault    *emulator.Fault
	cli      string
	server   *emulator.Server
	address  string
	work     string
	programs string
	key      string
	keep     keeper
	account  *account
	runs     []*passed
	// failures are the programs that did not do their part, in order.
	failures []string
}

// Run plays the scenario. Its error is a [*Usage] where something asked for cannot be done, and then nothing was started;
// [*Failed] where a program did not do its part; and another where the demo itself could not go on. A check that is not green
// is no error.
func Run(ctx context.Context, options Options) error {
	s, err := prepare(options)
	if err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp(options.Temporary, "airlock-demo-"); err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	err = s.start(ctx, serving, served)
	if err == nil {
		err = s.play(ctx)
	}
	stop()
	if s.address != "" {
		err = errors.Join(err, <-served)
	}
	err = errors.Join(err, os.RemoveAll(s.work))
	switch {
	case ctx.Err() != nil:
		if err := s.keep.discard(); err != nil {
			return fmt.Errorf("it was interrupted; no process is left, but %s cannot be removed: %w", s.keep.folder, err)
		}
		return errors.New("it was interrupted; no process and no record is left")
	case err != nil:
		return err
	case len(s.failures) > 0:
		return &Failed{s.failures}
	}
	return nil
}

// prepare checks all that was asked for before anything is started.
func prepare(options Options) (*stage, error) {
	s := &stage{Options: options, account: &account{out: options.Stdout, quiet: options.JSON}}
	if options.RepeatApply < 1 {
		return nil, usage("--repeat-apply", "it is %d, and counts from 1", options.RepeatApply)
	}
	var err error
	if s.fault, err = parseFault(options.Fault); err != nil {
		return nil, err
	}
	if s.cli, err = findCLI(options.Engine, options.Env); err != nil {
		return nil, err
	}
	if s.scenario, err = Load(options.Folder); err != nil {
		return nil, err
	}
	if options.Engine == EngineReplay {
		if err := s.scenario.checkAnswers(); err != nil {
			return nil, err
		}
	}
	if s.programs, err = findPrograms(options.Programs); err != nil {
		return nil, err
	}
	if s.keep, err = newKeeper(options.Out); err != nil {
		return nil, err
	}
	s.account.stage = s
	return s, nil
}

// start brings up the emulated GitHub, which serves until the second context ends, and the three programs.
func (s *stage) start(ctx, serving context.Context, served chan<- error) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("make the App's key: %w", err)
	}
	s.key = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return fmt.Errorf("write the App's public key: %w", err)
	}
	seed, err := s.scenario.seed(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), s.Now(), s.Engine)
	if err != nil {
		return err
	}
	if s.server, err = emulator.New(seed, emulator.Options{Now: s.Now}); err != nil {
		return fmt.Errorf("start the emulated GitHub: %w", err)
	}
	if err := s.keep.json("seed.json", seed); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on loopback: %w", err)
	}
	s.address = "http://" + listener.Addr().String()
	go func() { served <- s.server.Serve(serving, listener) }()
	if s.programs == "" {
		s.tell("building decide, run and apply as three binaries")
		if s.programs, err = build(ctx, s.work, s.Env); err != nil {
			return err
		}
	}
	return nil
}

// play plays every Run, and ends with the emulated GitHub's own word.
func (s *stage) play(ctx context.Context) error {
	s.account.opening()
	for n := range s.scenario.Runs {
		p, err := s.passage(ctx, n)
		if err != nil {
			return fmt.Errorf("Run %d: %w", n+1, err)
		}
		s.runs = append(s.runs, p)
		if n+1 < len(s.scenario.Runs) && !p.reviewed() {
			s.account.cutShort(n)
			break
		}
	}
	state, err := s.server.State()
	if err != nil {
		return fmt.Errorf("read the emulated GitHub's state: %w", err)
	}
	if err := s.keep.json("github.json", state); err != nil {
		return err
	}
	s.account.closing(state)
	if s.JSON {
		return s.printJSON(state)
	}
	return s.account.err
}

// tell shows progress where somebody watches.
func (s *stage) tell(format string, arguments ...any) {
	if s.Progress != nil {
		fmt.Fprintf(s.Progress, "… "+format+"\n", arguments...)
	}
}

// advance moves the emulated clock, so that what people do one after the other has times in that order.
func (s *stage) advance() { s.server.SetClock(s.server.Now().Add(2 * time.Second)) }

// Usage is something asked for that cannot be done. Nothing was started.
type Usage struct {
	// Where is the option, or the file and its field.
	Where, Reason string
}

func (u *Usage) Error() string { return u.Where + ": " + u.Reason }

func usage(where, format string, arguments ...any) error {
	return &Usage{where, fmt.Sprintf(format, arguments...)}
}

// Failed names the programs that did not do their part.
type Failed struct{ Programs []string }

func (f *Failed) Error() string { return strings.Join(f.Programs, "; ") }
