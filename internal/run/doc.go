// Package run is the program of the job that thinks: it holds the bundle to its digests, builds the Task, asks the engine,
// validates the answer and writes result.json.
//
// It promises that it starts nothing without a Decision that admits, that whatever the engine does ends in a whole Result,
// that the model's text is in result.json and nowhere else, and that result.json is written whole or not at all. Bad input
// ends in one message with a code, the file and the field, and writes nothing.
//
// It links nothing that reads or writes GitHub. What apply makes of the Result is apply's.
package run
