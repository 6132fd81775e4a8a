"""The press: a foot on a slider, loaded until it rests."""
