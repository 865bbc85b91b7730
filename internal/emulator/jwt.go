package emulator

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// longestJWT is the furthest an App's JWT may expire from now.
const longestJWT = 10 * time.Minute

var errNoApp = errors.New("the issuer is no App")

func parsePublicKey(document string) (*rsa.PublicKey, error) {
	key, err := jwt.ParseRSAPublicKeyFromPEM([]byte(document))
	if err != nil {
		return nil, fmt.Errorf("no RSA public key in PEM: %w", err)
	}
	return key, nil
}

// appOf verifies an App's JWT by GitHub's rules: RS256 by a key of the App that iss names (its id or its client id),
// iat and exp whole numbers, iat not in the future, exp in the future and at most ten minutes ahead.
func (server *Server) appOf(r *http.Request) (*App, answer) {
	value := credential(r)
	if value == "" {
		return nil, problem(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	var app *App
	parsed, err := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation(), jwt.WithJSONNumber()).
		ParseWithClaims(value, jwt.MapClaims{}, func(parsed *jwt.Token) (any, error) {
			issuer := fmt.Sprint(parsed.Claims.(jwt.MapClaims)["iss"])
			app = find(server.world.apps, func(app *App) bool {
				return issuer == strconv.FormatInt(app.ID, 10) || app.ClientID != "" && issuer == app.ClientID
			})
			if app == nil {
				return nil, errNoApp
			}
			return parsePublicKey(app.PublicKey)
		})
	if err != nil {
		if errors.Is(err, errNoApp) {
			return nil, problem(http.StatusNotFound, "Integration not found")
		}
		return nil, problem(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	claims := parsed.Claims.(jwt.MapClaims)
	now := server.clock.now().Unix()
	issued, err := wholeNumber(claims["iat"])
	if err != nil || issued > now {
		return nil, problem(http.StatusUnauthorized, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	expires, err := wholeNumber(claims["exp"])
	switch {
	case err != nil || expires <= now:
		return nil, problem(http.StatusUnauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case expires > now+int64(longestJWT/time.Second):
		return nil, problem(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	}
	return app, answer{}
}

// wholeNumber refuses fractions, exponents and strings.
func wholeNumber(claim any) (int64, error) {
	number, isNumber := claim.(json.Number)
	if !isNumber {
		return 0, fmt.Errorf("claim is %T, not a number", claim)
	}
	return strconv.ParseInt(number.String(), 10, 64)
}
