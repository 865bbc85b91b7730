// Package decide is the order of work of the program decide: the event, the configuration, the facts, the Kernel, the
// bundle, the outputs.
//
// It promises that the bundle is written whole or not at all, that the outputs are set only after it, and that whatever
// cannot be used ends with one message that has a code. It decides nothing itself.
package decide
