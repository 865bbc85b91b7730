#include "frame.h"

#include <string.h>

/*
 * A frame is one byte of type, two bytes of length in network order, and the payload. Type FRAME_LONG has four bytes of
 * length.
 */
int frame_read(const unsigned char *in, size_t in_len, struct frame *out)
{
	if (in_len < 3)
		return FRAME_SHORT;
	size_t header = 3;
	size_t length = (size_t)in[1] << 8 | in[2];
	if (in[0] == FRAME_LONG) {
		header = 5;
		length = length << 16 | (size_t)in[3] << 8 | in[4];
	}
	if (length > sizeof out->payload)
		return FRAME_TOO_LONG;
	if (in_len - header < length)
		return FRAME_SHORT;
	out->type = in[0];
	out->length = length;
	memcpy(out->payload, in + header, length);
	return FRAME_OK;
}
