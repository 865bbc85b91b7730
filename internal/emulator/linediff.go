package emulator

import "strings"

// lineDiff compares two texts line by line and says which lines of each are not in the other. It finds a shortest
// edit script (Myers 1986, in linear space), then moves each group of changed lines as far down as equal lines
// allow, or beside a group of the other text, as git does without its indent heuristic.
func lineDiff(before, after []string) (removed, added []bool) {
	numbers := map[string]int{}
	number := func(lines []string) []int {
		numbered := make([]int, len(lines))
		for i, line := range lines {
			id, known := numbers[line]
			if !known {
				id = len(numbers)
				numbers[line] = id
			}
			numbered[i] = id
		}
		return numbered
	}
	old, new := number(before), number(after)
	removed, added = make([]bool, len(old)), make([]bool, len(new))
	// As git does, lines that the other text has nowhere are set aside first: that decides between scripts of one length.
	oldShared, oldPlaces := shared(old, new, removed)
	newShared, newPlaces := shared(new, old, added)
	search := snakeSearch{
		forward:  make([]int, 2*(len(oldShared)+len(newShared))+3),
		backward: make([]int, 2*(len(oldShared)+len(newShared))+3),
	}
	sharedRemoved, sharedAdded := make([]bool, len(oldShared)), make([]bool, len(newShared))
	search.mark(oldShared, newShared, sharedRemoved, sharedAdded)
	for i, place := range oldPlaces {
		removed[place] = sharedRemoved[i]
	}
	for i, place := range newPlaces {
		added[place] = sharedAdded[i]
	}
	slide(old, removed, added)
	slide(new, added, removed)
	return removed, added
}

// shared returns the elements that the other sequence has too, with their places, and marks the rest as changed.
func shared(elements, other []int, changed []bool) (kept, places []int) {
	known := map[int]bool{}
	for _, element := range other {
		known[element] = true
	}
	for i, element := range elements {
		if !known[element] {
			changed[i] = true
			continue
		}
		kept, places = append(kept, element), append(places, i)
	}
	return kept, places
}

// snakeSearch holds the furthest reaching points of both directions, by diagonal.
type snakeSearch struct{ forward, backward []int }

// mark sets the changed lines of two sequences.
func (search *snakeSearch) mark(old, new []int, removed, added []bool) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new, removed, added = old[1:], new[1:], removed[1:], added[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
		removed, added = removed[:len(old)], added[:len(new)]
	}
	if len(old) == 0 || len(new) == 0 {
		for i := range removed {
			removed[i] = true
		}
		for i := range added {
			added[i] = true
		}
		return
	}
	x, y := search.middle(old, new)
	search.mark(old[:x], new[:y], removed[:x], added[:y])
	search.mark(old[x:], new[y:], removed[x:], added[y:])
}

// middle returns a point on a shortest edit path that splits it in two. Both sequences are non-empty and differ in
// their first and in their last element, so the point is neither corner.
func (search *snakeSearch) middle(old, new []int) (int, int) {
	n, m := len(old), len(new)
	delta, odd := n-m, (n-m)%2 != 0
	offset := n + m + 1
	forward, backward := search.forward, search.backward
	forward[offset+1], backward[offset+1] = 0, 0
	for d := 0; ; d++ {
		for k := d; k >= -d; k -= 2 {
			x := step(forward, offset, k, d)
			y := x - k
			for x < n && y >= 0 && y < m && old[x] == new[y] {
				x, y = x+1, y+1
			}
			forward[offset+k] = x
			reverse := delta - k
			if odd && reverse >= -(d-1) && reverse <= d-1 && x >= n-backward[offset+reverse] && inside(x, y, n, m) {
				return x, y
			}
		}
		for k := -d; k <= d; k += 2 {
			x := step(backward, offset, k, d)
			y := x - k
			for x < n && y >= 0 && y < m && old[n-1-x] == new[m-1-y] {
				x, y = x+1, y+1
			}
			backward[offset+k] = x
			reverse := delta - k
			if !odd && reverse >= -d && reverse <= d && n-x <= forward[offset+reverse] && inside(n-x, m-y, n, m) {
				return n - x, m - y
			}
		}
	}
}

func inside(x, y, n, m int) bool { return x >= 0 && y >= 0 && x <= n && y <= m }

// step is the start of the furthest path of d edits on diagonal k, before its equal elements.
func step(furthest []int, offset, k, d int) int {
	if k == -d || (k != d && furthest[offset+k-1] < furthest[offset+k+1]) {
		return furthest[offset+k+1]
	}
	return furthest[offset+k-1] + 1
}

// slide moves groups of changed elements. An unchanged element stands beside the unchanged element of the same rank
// in the other sequence, which a move keeps, because it swaps equal elements.
func slide(elements []int, changed, other []bool) {
	// beside says whether the other sequence has a changed group after its first k unchanged elements.
	beside := []bool{false}
	for _, isChanged := range other {
		if isChanged {
			beside[len(beside)-1] = true
		} else {
			beside = append(beside, false)
		}
	}
	rank := 0
	for start := 0; start < len(elements); {
		if !changed[start] {
			start, rank = start+1, rank+1
			continue
		}
		end := start
		for end < len(elements) && changed[end] {
			end++
		}
		// Up first, so that groups which touch become one.
		for start > 0 && !changed[start-1] && elements[start-1] == elements[end-1] {
			start, end, rank = start-1, end-1, rank-1
			changed[start], changed[end] = true, false
			for start > 0 && changed[start-1] {
				start--
			}
		}
		aligned := -1
		for {
			if beside[rank] {
				aligned = start
			}
			if end == len(elements) || elements[start] != elements[end] {
				break
			}
			changed[start], changed[end] = false, true
			start, end, rank = start+1, end+1, rank+1
			for end < len(elements) && changed[end] {
				end++
			}
		}
		for aligned >= 0 && start > aligned {
			start, end, rank = start-1, end-1, rank-1
			changed[start], changed[end] = true, false
		}
		start = end
	}
}

// splitLines cuts a text into lines that keep their newline; the last may lack it.
func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
