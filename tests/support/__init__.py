"""What the integration tests share: places, Pythons, LTTng worlds, and a reader of traces of their own."""
