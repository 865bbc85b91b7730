package report

import "time"

// Day returns the first moment of the day that holds t, in the office's time zone.
func Day(t time.Time, office *time.Location) time.Time {
	year, month, day := t.In(office).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, office)
}
