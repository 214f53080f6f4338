"""What several test modules share and no fixture can hand out."""
