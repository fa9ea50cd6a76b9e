/** Places for words beside tokens, so that no word lies on another one; words that find none are left out. */

/** A token with a word: where it is drawn, and how wide its word is, in pixels. */
export interface Anchor {
  x: number;
  y: number;
  width: number;
}

/** The middle of the left end of a word, and where a line from the token to it would end. */
export interface Label {
  x: number;
  y: number;
  /** Of words that are not right beside their token: the end of the line that leads to them. */
  line: { x: number; y: number } | null;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const HEIGHT = 17;
const GAP = 5;
/** To the right first, where one reads on. */
const DIRECTIONS = [0, Math.PI, -Math.PI / 4, Math.PI / 4, (-3 * Math.PI) / 4, (3 * Math.PI) / 4, -Math.PI / 2, Math.PI / 2];
const RINGS = [0, 22, 44, 66];
const PLACES = DIRECTIONS.length * RINGS.length;

/** Remembers where words were, so that they stay on their side while tokens move. */
export class Labels {
  private before = new Map<number, number>();

  /** A place for each word or null, in the order of `anchors`; those in front of `order` choose first. */
  place(anchors: Anchor[], order: number[], radius: number, width: number, height: number): (Label | null)[] {
    const taken: Box[] = [];
    const chosen = new Map<number, number>();
    const labels: (Label | null)[] = anchors.map(() => null);
    const discs = anchors.map(({ x, y }) => around(x, y, radius));
    for (const token of order) {
      const found = this.search(anchors[token], this.before.get(token), radius, (box, isStrict) => {
        const isInside = box.left >= 2 && box.top >= 2 && box.right <= width - 2 && box.bottom <= height - 2;
        return isInside && !taken.some((other) => overlap(box, other)) && !(isStrict && discs.some((disc, k) => k !== token && overlap(box, disc)));
      });
      if (found === null) continue;
      chosen.set(token, found);
      const { box, label } = candidate(anchors[token], found, radius);
      taken.push(box);
      labels[token] = label;
    }
    this.before = chosen;
    return labels;
  }

  /** The first place that is free of words and tokens; else one that is free of words. */
  private search(anchor: Anchor, before: number | undefined, radius: number, isFree: (box: Box, isStrict: boolean) => boolean): number | null {
    for (const isStrict of [true, false]) {
      if (before !== undefined && isFree(candidate(anchor, before, radius).box, isStrict)) return before;
      for (let place = 0; place < PLACES; place++) if (isFree(candidate(anchor, place, radius).box, isStrict)) return place;
    }
    return null;
  }
}

function candidate(anchor: Anchor, place: number, radius: number): { box: Box; label: Label } {
  const angle = DIRECTIONS[place % DIRECTIONS.length];
  const ring = RINGS[Math.floor(place / DIRECTIONS.length)];
  const reach = radius + GAP + ring;
  const [x, y] = [anchor.x + reach * Math.cos(angle), anchor.y + reach * Math.sin(angle)];
  const side = Math.cos(angle);
  const left = side > 0.3 ? x : side < -0.3 ? x - anchor.width : x - anchor.width / 2;
  const middle = Math.abs(side) > 0.3 ? y : y + (Math.sign(Math.sin(angle)) * HEIGHT) / 3;
  const box = { left, right: left + anchor.width, top: middle - HEIGHT / 2, bottom: middle + HEIGHT / 2 };
  return { box, label: { x: left, y: middle, line: ring > 0 ? { x, y } : null } };
}

function around(x: number, y: number, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
