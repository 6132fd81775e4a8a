"""Set-points to hardware over a serial line."""

from plantar.soft.serial.channel import Channel as Channel
from plantar.soft.serial.frame import Frame as Frame
from plantar.soft.serial.port import Link as Link
from plantar.soft.serial.port import PortLost as PortLost
from plantar.soft.serial.stream import StreamReport as StreamReport
from plantar.soft.serial.stream import stream as stream
from plantar.soft.serial.table import read_setpoints as read_setpoints
