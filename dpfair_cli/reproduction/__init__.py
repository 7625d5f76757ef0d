"""Makes the files of artefacts and pages, and previews of users' tables."""
