// Package worker runs jobs side by side.
package worker

import (
	"context"
	"errors"
	"sync"
)

// Job is one piece of work.
type Job func(ctx context.Context) error

// Pool runs the jobs that were submitted to it.
type Pool struct {
	size int
	jobs []Job
}

// New returns a pool that runs at most size jobs at a time.
func New(size int) *Pool {
	return &Pool{size: size}
}

// Submit adds a job; it does not start it.
func (p *Pool) Submit(job Job) {
	p.jobs = append(p.jobs, job)
}

// Wait runs the jobs, at most size at a time, and returns their errors joined.
func (p *Pool) Wait(ctx context.Context) error {
	var failures []error
	var failed sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, p.size)
	for _, job := range p.jobs {
		slots <- struct{}{}
		running.Add(1)
		go func() {
			defer running.Done()
			defer func() { <-slots }()
			if err := job(ctx); err != nil {
				failed.Lock()
				defer failed.Unlock()
				failures = append(failures, err)
			}
		}()
	}
	running.Wait()
	return errors.Join(failures...)
}
