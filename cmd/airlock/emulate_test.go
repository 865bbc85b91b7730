package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestEmulateServes holds that the command serves a seed at the address it prints, until it is interrupted.
func TestEmulateServes(t *testing.T) {
	seed, err := json.Marshal(emulatortest.Seed())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	reader, writer := io.Pipe()
	var complaints bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"emulate", "--seed", file}, streams{nil, writer, &complaints})
		writer.Close()
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	response, err := http.Get(strings.TrimSpace(line) + "/_emulator/state")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var state struct {
		Repository struct {
			ID int64 `json:"id"`
		} `json:"repository"`
	}
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil || state.Repository.ID != emulatortest.RepositoryID {
		t.Errorf("the state is of repository %d, %v; want %d", state.Repository.ID, err, int64(emulatortest.RepositoryID))
	}
	interrupt()
	if got := <-code; got != exitDone {
		t.Errorf("ended with %d: %s", got, complaints.String())
	}
}
