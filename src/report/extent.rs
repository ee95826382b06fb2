//! The extent of a page: the number of pictures, and the place of its gallery.

/// Where the gallery of a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GalleryPlace {
    /// In the page; for runs of more than 10,000 questions next to it.
    #[default]
    BySize,
    /// In the page: one file, whatever its size.
    Inside,
    /// In parts next to the page, which load on demand.
    Beside,
    /// In no page: boards only.
    #[serde(skip)]
    Nowhere,
}

/// How many pairs are shown with their pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureCount {
    /// As many as fit.
    All,
    /// None: the page is small, and lists verdicts and words only.
    None,
    /// At most this many, the most informative ones.
    Some(usize),
}

impl Default for PictureCount {
    /// As many as a reader looks at in one sitting.
    fn default() -> Self {
        Self::Some(48)
    }
}
