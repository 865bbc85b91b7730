package config

import (
	"errors"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// Error is a configuration that is not valid: always the code configuration_invalid.
type Error struct {
	// File is the repository's path of the file, or "embedded " and the path in this module.
	File string
	// Field is where in the file; empty for the file as a whole.
	Field string
	// Reason is one clause in our own words.
	Reason string
}

// Code is the reason code of every [Error].
func (e *Error) Code() contract.Code { return contract.CodeConfigurationInvalid }

func (e *Error) Error() string {
	message := e.File + ": "
	if e.Field != "" {
		message += "field " + e.Field + ": "
	}
	return message + e.Reason
}

// invalid turns a decoding error into one that names the file.
func invalid(file string, err error) error {
	var fault *schema.Error
	if errors.As(err, &fault) {
		return &Error{File: file, Field: fault.Field, Reason: fault.Reason}
	}
	return &Error{File: file, Reason: err.Error()}
}
