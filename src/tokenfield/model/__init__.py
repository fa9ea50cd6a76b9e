"""What moves tokens: `Transformer` and its parts. Equations are in `attention`, the projection in `transformer`."""
