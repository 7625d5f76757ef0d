"""Workers that are the present process, and tables that are cut into small parts."""

from dpfair_cli.formats import table_parts
from dpfair_cli.running.pool import Workers


class Here(Workers):
    """Workers that are the present process."""

    def submit(self, function, *args):
        return Done(function(*args))


class Done:
    """A call that has ended."""

    def __init__(self, value):
        self.value = value

    def result(self):
        return self.value

    def cancel(self):
        return False


def cut_at(size):
    """A function that cuts a table into parts of about `size` bytes."""
    return lambda reader, start: table_parts.cut(reader, start, size=size)
