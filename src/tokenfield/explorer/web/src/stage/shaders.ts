/** Materials of the space view. Colors are mixed towards the background with depth, so that nothing has to be sorted. */
import { Color, CustomBlending, DoubleSide, OneFactor, ShaderMaterial, Vector3, ZeroFactor } from "three";
import type { Rgb } from "../state/colors";

const DEPTH = /* glsl */ `
  uniform float reach;
  // 1 in front, -1 behind, seen from the center of the model
  float depthOf(vec4 seen, mat4 model) { return clamp((seen.z - (model * vec4(0.0, 0.0, 0.0, 1.0)).z) / reach, -1.0, 1.0); }
`;

export type Uniforms = Record<string, { value: unknown }>;

export function vector(color: Rgb): Vector3 {
  return new Vector3(...color);
}

export function uniforms(): Uniforms {
  return { fog: { value: new Vector3() }, reach: { value: 1 }, size: { value: 10 }, nearest: { value: 5 }, dim: { value: 0 } };
}

/** Discs of a pixel size, each with its color, size and share of attention; with smooth edges where lines are smooth. */
export function tokenMaterial(shared: Uniforms, isSmooth: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: shared,
    alphaToCoverage: isSmooth,
    // how much of a pixel is covered must not make the page shine through
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: ZeroFactor,
    blendSrcAlpha: isSmooth ? ZeroFactor : OneFactor,
    blendDstAlpha: isSmooth ? OneFactor : ZeroFactor,
    vertexShader: /* glsl */ `
      attribute vec3 tint; attribute float mass; attribute float glow;
      uniform float size; uniform float nearest; uniform float dim;
      varying vec3 color; varying float shade; varying float lit; varying float radius;
      ${DEPTH}
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * seen;
        gl_PointSize = size * mass * nearest / -seen.z * (1.0 + 0.5 * glow * dim);
        gl_PointSize += 1.0;
        radius = 0.5 * gl_PointSize;
        shade = mix(0.24, 1.0, smoothstep(-0.75, 0.45, depthOf(seen, modelViewMatrix)));
        lit = mix(1.0, 0.2 + 0.8 * glow, dim);
        color = tint;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 fog; varying vec3 color; varying float shade; varying float lit; varying float radius;
      void main() {
        vec2 place = 2.0 * gl_PointCoord - 1.0;
        float r = length(place);
        float alpha = ${isSmooth ? "min((1.0 - r) * radius, 1.0)" : "r > 1.0 ? 0.0 : 1.0"};
        if (alpha <= 0.0) discard;
        float light = 1.0 + 0.22 * (-place.y - place.x * 0.5) * (1.0 - r * 0.3) - 0.26 * smoothstep(0.72, 1.0, r);
        gl_FragColor = vec4(mix(fog, color * light, shade * lit), alpha);
      }`,
  });
}

/** A soft halo around tokens that are attended to. */
export function haloMaterial(shared: Uniforms, color: Rgb): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...shared, halo: { value: vector(color) } },
    transparent: true,
    depthWrite: false,
    vertexShader: /* glsl */ `
      attribute float mass; attribute float glow; uniform float size; uniform float nearest;
      varying float strength;
      ${DEPTH}
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * seen;
        gl_PointSize = size * mass * nearest / -seen.z * (1.8 + 3.6 * sqrt(glow));
        strength = sqrt(glow) * mix(0.35, 1.0, smoothstep(-0.75, 0.45, depthOf(seen, modelViewMatrix)));
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 halo; varying float strength;
      void main() {
        float r = length(2.0 * gl_PointCoord - 1.0);
        float alpha = strength * 0.62 * pow(max(1.0 - r, 0.0), 1.6);
        if (alpha < 0.004) discard;
        gl_FragColor = vec4(halo, alpha);
      }`,
  });
}

/** Lines with a color at each vertex. */
export function lineMaterial(shared: Uniforms): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: shared,
    vertexShader: /* glsl */ `
      attribute vec3 tint; varying vec3 color; varying float shade;
      ${DEPTH}
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * seen;
        shade = mix(0.18, 1.0, smoothstep(-0.75, 0.45, depthOf(seen, modelViewMatrix)));
        color = tint;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 fog; varying vec3 color; varying float shade;
      void main() { gl_FragColor = vec4(mix(fog, color, shade), 1.0); }`,
  });
}

/** Lines that fade with their age and with depth. */
export function trailMaterial(shared: Uniforms): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: shared,
    transparent: true,
    depthWrite: false, // tokens lie above their own way
    vertexShader: /* glsl */ `
      attribute vec3 tint; attribute float youth; varying vec4 color;
      ${DEPTH}
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * seen;
        color = vec4(tint, youth * mix(0.18, 1.0, smoothstep(-0.75, 0.45, depthOf(seen, modelViewMatrix))));
      }`,
    fragmentShader: /* glsl */ `varying vec4 color; void main() { gl_FragColor = color; }`,
  });
}

/** The body of the sphere: a quiet ball, or with a texture the density on it. */
export function ballMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { body: { value: new Vector3() }, edge: { value: new Vector3() }, map: { value: null }, mapped: { value: 0 } },
    depthWrite: false,
    vertexShader: /* glsl */ `
      varying vec3 facing; varying vec3 toEye; varying vec2 place;
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        facing = normalize(normalMatrix * normal); toEye = normalize(-seen.xyz); place = uv;
        gl_Position = projectionMatrix * seen;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 body; uniform vec3 edge; uniform sampler2D map; uniform float mapped;
      varying vec3 facing; varying vec3 toEye; varying vec2 place;
      void main() {
        float front = max(dot(normalize(facing), normalize(toEye)), 0.0);
        vec3 painted = mapped > 0.5 ? texture2D(map, place).rgb * (0.72 + 0.28 * front) : body;
        float rim = pow(1.0 - front, 3.0);
        gl_FragColor = vec4(mix(painted, edge, (mapped > 0.5 ? 0.35 : 0.85) * rim), 1.0);
      }`,
  });
}

/** A translucent face: of a hull, or of an ellipsoid. */
export function veilMaterial(color: Rgb, opacity: number): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { color: { value: new Color(...color) }, opacity: { value: opacity } },
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    vertexShader: /* glsl */ `
      varying vec3 facing;
      void main() {
        facing = normalMatrix * normal;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 color; uniform float opacity; varying vec3 facing;
      void main() { gl_FragColor = vec4(color, opacity * (1.6 - 0.9 * abs(normalize(facing).z))); }`,
  });
}
