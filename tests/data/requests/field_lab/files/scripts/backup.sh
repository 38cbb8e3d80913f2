#!/bin/sh
# copies the data folder to the USB stick
DEST=/media/usb/backup
mkdir -p "$DEST"
cp -r data "$DEST"
echo "backup done"
