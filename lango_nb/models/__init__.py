"""What answers: the seam, the offline model and the scripted one."""
