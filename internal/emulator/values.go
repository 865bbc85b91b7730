package emulator

import (
	"strings"
	"time"
)

// find returns the first element that satisfies the condition, or nil.
func find[T any](elements []*T, is func(*T) bool) *T {
	for _, element := range elements {
		if is(element) {
			return element
		}
	}
	return nil
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

func setTime(field *time.Time, value time.Time) {
	if field.IsZero() {
		*field = value
	}
	*field = field.UTC().Truncate(time.Second)
}

// orNull turns an empty string into JSON's null.
func orNull(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// stamp writes a time as GitHub does; nil stays null.
func stamp(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

// equalFold compares names of users and repositories, in which GitHub ignores case.
func equalFold(one, other string) bool { return strings.EqualFold(one, other) }

const botSuffix = "[bot]"

func isBotLogin(login string) bool { return strings.HasSuffix(login, botSuffix) }
