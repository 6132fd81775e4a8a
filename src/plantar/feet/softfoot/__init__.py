"""The SoftFoot: its description and its three builds."""
