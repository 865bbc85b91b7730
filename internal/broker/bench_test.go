package broker

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// BenchmarkFirstByte is what the broker adds until the first event of an answer is there: each turn asks the host itself and
// then through the broker, on a connection of its own.
func BenchmarkFirstByte(b *testing.B) {
	for _, kilobytes := range []int{2, 100, 1000} {
		b.Run(fmt.Sprintf("%dKB", kilobytes), func(b *testing.B) {
			api := newHost(b, answering())
			body := goodAsked().with("messages", []any{map[string]any{"role": "user", "content": strings.Repeat("a line of code\\n\n", kilobytes*60)}}).text()
			ask := func(address, token string) time.Duration {
				started := time.Now()
				connection, err := net.Dial("tcp", address)
				must(b, err)
				defer connection.Close()
				request, err := http.NewRequest(http.MethodPost, "http://"+address+target, strings.NewReader(body))
				must(b, err)
				request.Header.Set("Authorization", "Bearer "+token)
				request.Header.Set("Content-Type", "application/json")
				must(b, request.Write(connection))
				response, err := http.ReadResponse(bufio.NewReader(connection), request)
				must(b, err)
				defer response.Body.Close()
				_, err = io.ReadFull(response.Body, make([]byte, 1))
				must(b, err)
				took := time.Since(started)
				if response.StatusCode != http.StatusOK {
					b.Fatal(response.Status)
				}
				_, err = io.Copy(io.Discard, response.Body)
				must(b, err)
				return took
			}
			direct, through := time.Hour, time.Hour // the least of all turns: what else the machine does only adds
			for b.Loop() {
				b.StopTimer()
				broker := newBroker(b, api.URL)
				direct = min(direct, ask(strings.TrimPrefix(api.URL, "http://"), testCredential))
				b.StartTimer()
				through = min(through, ask(broker.host, broker.token))
				b.StopTimer()
				broker.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(through-direct)/1e6, "ms-added/op")
			b.ReportMetric(float64(through)/float64(direct), "ratio")
		})
	}
}

// BenchmarkCheck is what it takes to hold a body to the rules.
func BenchmarkCheck(b *testing.B) {
	body := []byte(goodAsked().with("messages", []any{map[string]any{"role": "user", "content": strings.Repeat("a line of code\\n\n", 60_000)}}).text())
	schema, err := contract.Canonicalize([]byte(testSchema))
	must(b, err)
	want := Wanted{Model: testModel, Schema: schema, AnswerTokens: 64_000}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		read, ok := read(body)
		if _, refused := checkMessages(read.members, want); !ok || refused != "" {
			b.Fatal(refused)
		}
	}
}
