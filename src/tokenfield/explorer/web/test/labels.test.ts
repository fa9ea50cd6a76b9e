import { expect, test } from "vitest";
import { Labels, type Anchor } from "../src/stage/labels";

const HEIGHT = 17;

function boxes(anchors: Anchor[], labels: ({ x: number; y: number } | null)[]): number[][] {
  return labels.flatMap((label, k) => (label ? [[label.x, label.y - HEIGHT / 2, label.x + anchors[k].width, label.y + HEIGHT / 2]] : []));
}

function overlaps(all: number[][]): number {
  let count = 0;
  all.forEach((a, i) => all.slice(i + 1).forEach((b) => (count += a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] ? 1 : 0)));
  return count;
}

test("words of tokens at one place do not lie on each other", () => {
  const anchors = Array.from({ length: 12 }, (_, k) => ({ x: 200 + (k % 3), y: 200 + k / 4, width: 30 + 3 * k }));
  const labels = new Labels().place(anchors, anchors.map((_, k) => k), 5, 400, 400);
  expect(labels.filter(Boolean)).toHaveLength(12);
  expect(overlaps(boxes(anchors, labels))).toBe(0);
});

test("a word alone is right beside its token, without a line", () => {
  const [label] = new Labels().place([{ x: 50, y: 60, width: 20 }], [0], 5, 400, 400);
  expect(label).toEqual({ x: 60, y: 60, line: null });
});

test("words keep their side while tokens move a little, and those that find no place are left out", () => {
  const labels = new Labels();
  const anchors = [{ x: 100, y: 100, width: 40 }, { x: 103, y: 100, width: 40 }];
  const before = labels.place(anchors, [0, 1], 5, 300, 300);
  const after = labels.place(anchors.map((one) => ({ ...one, x: one.x + 1 })), [1, 0], 5, 300, 300);
  after.forEach((label, k) => expect(label!.x - before[k]!.x).toBeCloseTo(1, 9));
  const crowd = Array.from({ length: 200 }, () => ({ x: 50, y: 50, width: 60 }));
  const shown = new Labels().place(crowd, crowd.map((_, k) => k), 5, 100, 100);
  expect(shown.filter(Boolean).length).toBeGreaterThan(0);
  expect(shown.filter(Boolean).length).toBeLessThan(10);
});
