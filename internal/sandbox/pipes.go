package sandbox

import (
	"io"
	"os"
)

// files are open files that are closed together.
type files struct {
	list []*os.File
	also func() error
}

func (f *files) add(file *os.File) *os.File {
	f.list = append(f.list, file)
	return file
}

// close closes every file; a pipe's close loses nothing.
func (f *files) close() {
	for _, file := range f.list {
		_ = file.Close()
	}
	if f.also != nil {
		_ = f.also()
	}
}

// stream is an output that is read to its end.
type stream struct {
	file  *os.File
	ended chan struct{} // closed when data is whole
	data  []byte
}

// collect reads to the end and keeps the first bytes; beyond the limit it calls exceeded once and goes on reading, so that the
// writer is not stopped by a full pipe.
func collect(from *os.File, limit, kept int64, exceeded func()) *stream {
	s := &stream{file: from, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		defer from.Close()
		// An error is that the file was closed by us: what came until then is what there is.
		s.data, _ = io.ReadAll(io.LimitReader(from, kept))
		rest, _ := io.CopyN(io.Discard, from, limit-kept+1)
		if rest > limit-kept {
			exceeded()
			_, _ = io.Copy(io.Discard, from)
		}
	}()
	return s
}
