"""How far one record moves a query: every proof."""
