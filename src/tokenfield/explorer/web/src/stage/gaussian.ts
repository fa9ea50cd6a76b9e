/** Gaussian laws as they are drawn: m + r L u for u on the unit sphere, where L L^T is the covariance. */
import type { Frame } from "../protocol/frame";

export interface GaussianLaw {
  mean: number[];
  covariance: number[][];
}

/** The Gaussian that a frame holds; null if it holds tokens or a density. */
export function gaussianOf(frame: Frame): GaussianLaw | null {
  const { mean, covariance } = frame.arrays;
  if (!mean || !covariance) return null;
  const d = mean.shape[0];
  const rows = Array.from({ length: d }, (_, k) => Array.from(covariance.data.subarray(k * d, (k + 1) * d)));
  return { mean: Array.from(mean.data), covariance: rows };
}

/** How far from the origin most of a Gaussian reaches; 0 if there is none. */
export function gaussianRadius(frame: Frame): number {
  const law = gaussianOf(frame);
  if (!law) return 0;
  return Math.hypot(...law.mean) + 2.5 * Math.sqrt(Math.max(...law.covariance.map((row, k) => row[k]), 0));
}

/** The lower triangular L with L L^T = S, for a covariance of any rank. */
export function cholesky(S: number[][]): number[][] {
  const L = S.map((row) => row.map(() => 0));
  for (let i = 0; i < S.length; i++)
    for (let j = 0; j <= i; j++) {
      let rest = S[i][j];
      for (let k = 0; k < j; k++) rest -= L[i][k] * L[j][k];
      if (i === j) L[i][i] = Math.sqrt(Math.max(rest, 0));
      else L[i][j] = L[j][j] > 1e-12 ? rest / L[j][j] : 0;
    }
  return L;
}
