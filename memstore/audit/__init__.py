"""Replaying a policy over what a store or another program's file holds. Changes nothing itself."""
