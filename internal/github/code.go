package github

import "github.com/seed-2ea642bd/airlock/internal/contract"

// CodeOf is the reason code of a failed call: rate_limited, permission_denied or platform_error.
func CodeOf(err error) contract.Code {
	switch ClassOf(err) {
	case ClassRateLimited:
		return contract.CodeRateLimited
	case ClassPermissionDenied, ClassUnauthorized:
		return contract.CodePermissionDenied
	}
	return contract.CodePlatformError
}
