package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// descendants returns the process ids of everything that a process started, and that those started, zombies left out, in no
// order. It sees only the moment: whoever forks meanwhile may be missed.
func descendants(ancestor int) []int {
	children := map[int][]int{}
	states, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range states {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …, where the name may hold anything.
		end := bytes.LastIndexByte(data, ')')
		fields := bytes.Fields(data[end+1:])
		process, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || end < 0 || len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			continue
		}
		if string(fields[0]) == "Z" {
			process = -process // it has no children and needs no signal
		}
		children[parent] = append(children[parent], process)
	}
	var found []int
	for next := []int{ancestor}; len(next) > 0; next = next[1:] {
		for _, child := range children[next[0]] {
			if child > 0 {
				found, next = append(found, child), append(next, child)
			}
		}
	}
	return found
}
