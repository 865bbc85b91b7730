package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// message is a report of the keeper's, and the listener that came with it.
type message struct {
	report
	listener *os.File
}

// listen hands on what the keeper says until it has nothing more to say.
func listen(connection *net.UnixConn, messages chan<- message) {
	defer close(messages)
	// The first message may carry a file; later ones do not come before it is answered.
	data, rights := make([]byte, 4096), make([]byte, 64)
	n, oob, _, _, err := connection.ReadMsgUnix(data, rights)
	first := message{listener: received(rights[:max(oob, 0)])}
	if err != nil || json.Unmarshal(data[:n], &first.report) != nil {
		if first.listener != nil {
			_ = first.listener.Close()
		}
		return
	}
	messages <- first
	for decoder := json.NewDecoder(connection); ; {
		var next message
		if decoder.Decode(&next.report) != nil {
			return
		}
		messages <- next
	}
}

// received is the file that came with a message, nil for none.
func received(rights []byte) *os.File {
	parsed, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(parsed) != 1 {
		return nil
	}
	descriptors, err := unix.ParseUnixRights(&parsed[0])
	if err != nil || len(descriptors) != 1 {
		return nil
	}
	unix.CloseOnExec(descriptors[0])
	return os.NewFile(uintptr(descriptors[0]), "listener")
}

// phase is how far a program has come.
type phase int

const (
	starting phase = iota // the keeper
	checking              // the version, before
	running
	checkingAgain
)

// follow follows the reports of the keeper until everything has ended, and hastens the end where it must.
func (s *session) follow(ctx context.Context, program Program, place Place) (Ending, error) {
	end, at := Ending{Exit: -1}, starting
	timer, grace := time.NewTimer(startLimit), time.NewTimer(0)
	defer timer.Stop()
	defer grace.Stop()
	grace.Stop()
	cancelled := ctx.Done()
	interrupted := func() {
		cancelled = nil
		timer.Stop()
		grace.Reset(s.runner.interruptGrace)
		_, _ = s.connection.Write([]byte{interrupt}) // a keeper that is gone has nothing to interrupt
	}
	for {
		select {
		case said, open := <-s.messages:
			switch {
			case !open:
				return s.gone(end, at)
			case said.Event == eventReady:
				if err := s.letGo(program, place, said.listener); err != nil {
					return Ending{}, err
				}
				at = checking
				timer.Reset(checkLimit)
			case said.Event == eventStarted:
				at = running
				timer.Reset(program.Limit)
			case said.Event == eventEnded:
				end.Exit, at = said.Exit, checkingAgain
				cancelled = nil
				grace.Stop()
				timer.Reset(checkLimit)
			case at == checking: // done, and nothing was started
				if said.Errno != 0 {
					return Ending{}, fmt.Errorf("start the program: %w", syscall.Errno(said.Errno))
				}
				return Ending{}, ErrVersion
			default: // done
				end.Changed = said.Changed
				end.Stdout, end.Stderr = s.outputs()
				return end, nil
			}
		case <-timer.C:
			switch at {
			case starting:
				return Ending{}, errors.New("the keeper did not start in time")
			case checking:
				return Ending{}, ErrVersion
			case running:
				end.Deadline = true
				interrupted()
			case checkingAgain:
				end.Changed = true
				end.Stdout, end.Stderr = s.outputs()
				return end, nil
			}
		case <-cancelled:
			if at < running {
				return Ending{}, ErrCancelled
			}
			end.Cancelled = true
			interrupted()
		case <-s.overflow:
			if at == running || at == checkingAgain {
				end.Overflow = true
			}
			end.Stdout, end.Stderr = s.outputs()
			return end, nil
		case <-grace.C:
			end.Stdout, end.Stderr = s.outputs()
			return end, nil
		}
	}
}

// gone is the end of a keeper that did not say that all is done.
func (s *session) gone(end Ending, at phase) (Ending, error) {
	end.Stdout, end.Stderr = s.outputs()
	switch {
	case at == starting && s.runner.sandboxed():
		return Ending{}, refusal(s.process.Path, end.Stderr, readSystem)
	case at < running:
		return Ending{}, errors.New("the keeper ended before the program was started")
	}
	end.Changed = at == checkingAgain
	return end, nil
}

// letGo opens what the program reaches and lets the keeper start it.
func (s *session) letGo(program Program, place Place, file *os.File) error {
	if file != nil {
		listener, err := net.FileListener(file)
		_ = file.Close() // the listener has a descriptor of its own
		if err != nil {
			return fmt.Errorf("take the sandbox's listener: %w", err)
		}
		if err := program.Serve(listener); err != nil {
			return err
		}
	}
	if s.runner.sandboxed() && program.Sealed != nil {
		if err := program.Sealed(); err != nil {
			return fmt.Errorf("seal the process: %w", err)
		}
	}
	arguments, environment := program.Command(place)
	// A keeper that is gone is found to be by whoever reads its reports.
	_ = json.NewEncoder(s.connection).Encode(command{Arguments: lists(arguments), Environment: lists(environment)})
	go func() {
		// The program may end before it has read everything; how it ends is what counts.
		_, _ = s.stdin.Write(program.Input)
		_ = s.stdin.Close()
	}()
	return nil
}

// outputs ends everything and returns what was printed.
func (s *session) outputs() (stdout, stderr []byte) {
	s.end()
	return s.stdout.data, s.stderr.data
}

// end ends the keeper, and with it everything below, at once, and waits for it and for the end of the streams. A stray holder of a
// stream, which only a program that is off can leave by killing its keeper, does not delay that for longer than killGrace. It
// may be called again.
func (s *session) end() {
	_ = s.connection.Close() // which the keeper takes for our own end
	_ = s.stdin.Close()
	hanging := time.AfterFunc(s.runner.killGrace, func() {
		_ = s.process.Process.Kill() // it may have ended meanwhile
	})
	<-s.exited
	hanging.Stop()
	stray := time.AfterFunc(s.runner.killGrace, func() {
		_ = s.stdout.file.Close()
		_ = s.stderr.file.Close()
	})
	defer stray.Stop()
	<-s.stdout.ended
	<-s.stderr.ended
}
