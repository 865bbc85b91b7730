#include "frame.h"

#include <string.h>

/* A frame is one byte of type, two bytes of length in network order, and the payload. */
int frame_read(const unsigned char *in, size_t in_len, struct frame *out)
{
	if (in_len < 3)
		return FRAME_SHORT;
	size_t length = (size_t)in[1] << 8 | in[2];
	if (length > sizeof out->payload)
		return FRAME_TOO_LONG;
	if (in_len - 3 < length)
		return FRAME_SHORT;
	out->type = in[0];
	out->length = length;
	memcpy(out->payload, in + 3, length);
	return FRAME_OK;
}
