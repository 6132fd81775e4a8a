"""Networks that score footholds: the paper's and ours. Training needs PyTorch; use needs ONNX Runtime only.

Nothing is imported here, so that `plantar.foothold` never loads PyTorch.
"""
