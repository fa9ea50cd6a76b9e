/** A number for people: few digits, powers of ten where they are shorter. */
export function shortNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, power] = value.toExponential(Math.max(digits - 2, 0)).split("e");
    const factor = Number(mantissa) === 1 ? "" : `${mantissa.replace("-", "−")}·`;
    return `${factor}10${superscript(Number(power))}`;
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

function superscript(power: number): string {
  return String(power).replace(/./g, (letter) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(letter)] ?? "⁻");
}
