// Package demo plays the runner of GitHub Actions and the people around one pull request: an emulated GitHub, the three
// programs as separate processes of separate binaries, each with exactly the environment that its job would have, artifacts
// passing by id and digest, and an account of what each did, made from the records they wrote.
//
// It imports the emulator and the records; the programs themselves it only starts.
package demo

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// Options are what the demo is asked for.
type Options struct {
	// Folder is another scenario; empty is the embedded one.
	Folder string
	// Out keeps every record; empty keeps none.
	Out string
	// RepeatApply is how often each Result is applied, at least once.
	RepeatApply int
	// Fault is "KIND@K": the kind of fault at the K-th API call of the first apply.
	Fault string
	// Engine is "replay" or "claude".
	Engine string
	// Programs is a folder with the three programs; empty builds them.
	Programs string
	// JSON prints one JSON document instead of the account.
	JSON bool

	// Env is the caller's environment: PATH, and for the claude engine its credential and AIRLOCK_CLI.
	Env map[string]string
	Now func() time.Time
	// Out and progress streams; Progress is nil where nobody watches.
	Stdout   io.Writer
	Progress io.Writer
}

// stage is one demo under way.
type stage struct {
	Options
	scenario *Scenario
	server   *emulator.Server
	address  string
	work     string
	programs string
	key      string
	account  *account
	runs     []passed
}

// passed is what one Run left.
type passed struct {
	decision contract.Decision
	task     *contract.Task
	result   *contract.Result
	applied  *contract.Applied
	outcome  *contract.Outcome
	exits    []int
}

// Run plays the scenario and returns whether every Run ended as the design says it should: no program failed to start or
// refused its input. A check that is not green is not a failure of the demo.
func Run(ctx context.Context, options Options) error {
	scenario, err := Load(options.Folder)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "airlock-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(work)
	s := &stage{Options: options, scenario: scenario, work: work, account: &account{out: options.Stdout, quiet: options.JSON}}
	s.RepeatApply = max(s.RepeatApply, 1)
	if err := s.start(ctx); err != nil {
		return err
	}
	for n := range scenario.Runs {
		if err := s.passage(ctx, n); err != nil {
			return fmt.Errorf("run %d: %w", n+1, err)
		}
	}
	if options.JSON {
		return s.json()
	}
	return s.finish()
}

// start brings up the emulated GitHub and the three programs.
func (s *stage) start(ctx context.Context) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("make the App's key: %w", err)
	}
	s.key = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return fmt.Errorf("write the App's public key: %w", err)
	}
	seed, err := s.scenario.seed(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), s.Now())
	if err != nil {
		return err
	}
	s.server, err = emulator.New(seed, emulator.Options{Now: s.Now})
	if err != nil {
		return fmt.Errorf("start the emulated GitHub: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on loopback: %w", err)
	}
	s.address = "http://" + listener.Addr().String()
	go func() { _ = s.server.Serve(ctx, listener) }()
	s.programs = s.Programs
	if s.programs == "" {
		s.tell("building decide, run and apply as three binaries")
		if s.programs, err = build(ctx, s.work, s.Env); err != nil {
			return err
		}
	}
	s.account.opening(s)
	return nil
}

// tell shows progress where somebody watches.
func (s *stage) tell(format string, arguments ...any) {
	if s.Progress != nil {
		fmt.Fprintf(s.Progress, "… "+format+"\n", arguments...)
	}
}

// advance moves the emulated clock, so that what people do one after the other has times in that order.
func (s *stage) advance() { s.server.SetClock(s.server.Now().Add(2 * time.Second)) }

// passage plays one Run: what people do before it, the three jobs, and what each left.
func (s *stage) passage(ctx context.Context, n int) error {
	event, err := s.people(n)
	if err != nil {
		return err
	}
	run, err := s.workflowRun(n, event)
	if err != nil {
		return err
	}
	defer s.server.SetWorkflowRun(emulator.Run{ID: run, Status: "completed", Conclusion: "success"})
	s.account.heading(s, n)
	p := passed{}
	bundle, outputs, err := s.decide(ctx, n, run, event, &p)
	if err != nil {
		return err
	}
	result := uploaded{}
	if outputs["admitted"] == "true" {
		if result, err = s.run(ctx, n, bundle, outputs, &p, run); err != nil {
			return err
		}
	}
	if outputs["report"] == "true" {
		if err := s.applyAll(ctx, n, run, bundle, result, outputs, &p); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, p)
	return nil
}

// keep copies a record into the folder that keeps them.
func (s *stage) keep(n int, name string, data []byte) error {
	if s.Out == "" {
		return nil
	}
	folder := filepath.Join(s.Out, fmt.Sprintf("run-%d", n+1))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(folder, name), data, 0o644)
}

// finish counts what stands on the emulated GitHub at the end, which is the last word.
func (s *stage) finish() error {
	state, err := s.server.State()
	if err != nil {
		return err
	}
	s.account.closing(s, state)
	return nil
}

// parseFault reads "KIND@K".
func parseFault(text string) (emulator.Fault, error) {
	kind, at, ok := strings.Cut(text, "@")
	var call int
	if _, err := fmt.Sscanf(at, "%d", &call); !ok || err != nil || call < 1 {
		return emulator.Fault{}, fmt.Errorf("--fault wants KIND@K, such as killed-after@14, not %q; airlock emulate --faults lists the kinds", text)
	}
	return emulator.Fault{Kind: kind, Call: call}, nil
}
