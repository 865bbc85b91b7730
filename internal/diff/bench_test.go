package diff

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"
)

const benchmarkSize = 100 << 20

// benchmarkDiff is about 100 MB: Go-like lines of 0 to 80 bytes, a character
// outside ASCII in one line of fifty, 2,000 lines a file.
func benchmarkDiff() []byte {
	var one bytes.Buffer
	lines := 0
	for lines < 2000 {
		text := strings.Repeat("\t", lines%4) + strings.Repeat("name := value(ctx) ", lines%5)
		if lines%50 == 0 {
			text += "// größer"
		}
		one.WriteString("+" + text + "\n")
		lines++
	}
	var out bytes.Buffer
	for n := 0; out.Len() < benchmarkSize; n++ {
		fmt.Fprintf(&out, "diff --git a/f%d.go b/f%d.go\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/f%d.go\n@@ -0,0 +1,2000 @@\n", n, n, n)
		out.Write(one.Bytes())
	}
	return out.Bytes()
}

// BenchmarkScan is held against BenchmarkSHA256 over the same bytes: it is to be
// no slower than three times that.
func BenchmarkScan(b *testing.B) {
	input := benchmarkDiff()
	for _, limit := range []int64{0, 400_000} {
		b.Run(fmt.Sprintf("limit=%d", limit), func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				files := 0
				if err := Scan(bytes.NewReader(input), limit, func(File) error { files++; return nil }); err != nil || files == 0 {
					b.Fatal(files, err)
				}
			}
		})
	}
}

func BenchmarkSHA256(b *testing.B) {
	input := benchmarkDiff()
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		hash := sha256.New()
		if _, err := io.Copy(hash, bytes.NewReader(input)); err != nil {
			b.Fatal(err)
		}
		hash.Sum(nil)
	}
}

func BenchmarkIndex(b *testing.B) {
	input := benchmarkDiff()[:3_000_000]
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		NewIndex(input)
	}
}
