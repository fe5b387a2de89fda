"""Earwitness: who remembers what, and how do they know?"""
