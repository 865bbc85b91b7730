package report

import "time"

// Day returns the first moment of the day that holds t, in the office's time zone.
func Day(t time.Time, office *time.Location) time.Time {
	year, month, day := t.In(office).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, office)
}

// Week returns the first moment of each of the seven days that end with the day of t.
func Week(t time.Time, office *time.Location) []time.Time {
	days := make([]time.Time, 7)
	last := Day(t, office)
	for i := range days {
		days[i] = last.Add(time.Duration(i-6) * 24 * time.Hour)
	}
	return days
}
