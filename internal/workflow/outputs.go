package workflow

import "strings"

// ParseOutputs reads a step's outputs, by name, in either form of the runner's file: name=value, or name<<DELIMITER, the lines of the
// value, DELIMITER. It is for whoever plays the runner.
func ParseOutputs(text string) map[string]string {
	outputs := map[string]string{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if name, delimiter, ok := strings.Cut(lines[i], "<<"); ok {
			var value []string
			for i++; i < len(lines) && lines[i] != delimiter; i++ {
				value = append(value, lines[i])
			}
			outputs[name] = strings.Join(value, "\n")
		} else if name, value, ok := strings.Cut(lines[i], "="); ok {
			outputs[name] = value
		}
	}
	return outputs
}
