"""The SoftFoot-Q: its description and its builds."""
