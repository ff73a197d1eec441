"""Python imports this before a script of BTSE's samples, whose reads are noted."""
import os

from reads import track_reads

track_reads(os.environ["BTSE_SAMPLES"])
