// The picture of an operand layout: the matrix as a grid, each cell the part of a row or column that one register of
// one lane holds. Hue tells the group of 16 lanes, brightness the register; blocks are drawn side by side.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tools/print/layout_grid.h"

namespace wavesmith::tools {
namespace {

using isa::Element;
using isa::OperandLayout;

constexpr int margin = 24, header = 96, axis_w = 60, axis_h = 34, gap = 34, lane_group = 16;
constexpr double font = 10.5;

// Hue 0..360, saturation and lightness 0..1, as "#rrggbb".
std::string colour(double hue, double saturation, double lightness) {
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12), a = saturation * std::min(lightness, 1 - lightness);
    return static_cast<int>(std::lround(255 * (lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}
constexpr double hues[] = {212, 28, 135, 282};  // blue, orange, green, violet: groups of 16 lanes
std::string group_colour(int lane, double brightness) { return colour(hues[lane / lane_group % 4], 0.62, brightness); }

struct Drawing {
  const OperandLayout& l;
  Grouping g;
  int unit_w = 0, unit_h = 0;      // of one element, pixels
  int label_w = 44, label_h = 28;  // that a cell needs for its two lines
  std::string body;

  explicit Drawing(const OperandLayout& layout) : l(layout), g(by_register(layout)) {
    for (int i = 0; i < l.items(); i += g.run)
      label_w = std::max(label_w, static_cast<int>(registers_text(l, i, g.run).size() * 6.2) + 8);
    label_w =
        std::max(label_w, static_cast<int>(lanes_text(lanes_of(l, {0, l.rows - 1, l.cols - 1})).size() * 6.2) + 8);
    unit_w = g.across ? (label_w + g.run - 1) / g.run : label_w;
    unit_h = g.across ? label_h : (label_h + g.run - 1) / g.run;
  }
  int grid_w() const { return l.cols * unit_w; }
  int grid_h() const { return l.rows * unit_h; }

  template <class... A>
  void put(fmt::format_string<A...> f, A&&... a) {
    body += fmt::format(f, std::forward<A>(a)...) + '\n';
  }
  void text(double x, double y, std::string_view anchor, std::string_view content, std::string_view style = "") {
    put(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}{}>{}</text>)", x, y, anchor, style.empty() ? "" : " ", style,
        content);
  }

  void cell(int x0, int y0, Element e) {
    const auto place = l.find(e)[0];
    const double x = x0 + e.col * unit_w, y = y0 + e.row * unit_h, w = g.across ? g.run * unit_w : unit_w,
                 h = g.across ? unit_h : g.run * unit_h;
    const int registers = std::max(1, l.registers() - 1);
    const double brightness = 0.90 - 0.22 * l.where(place.item).reg / registers;
    put(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" stroke="#ffffff"/>)", x, y, w, h,
        group_colour(place.lane, brightness));
    text(x + w / 2, y + h / 2 - 2.5, "middle", lanes_text(lanes_of(l, e)), R"(font-weight="600")");
    text(x + w / 2, y + h / 2 + 9.5, "middle", registers_text(l, place.item, g.run), R"(fill="#404a54")");
  }

  void axes(int x0, int y0) {
    const bool a_like = l.operand == isa::MatrixOperand::a || l.operand == isa::MatrixOperand::index ||
                        l.operand == isa::MatrixOperand::scale_a;
    const bool b_like = l.operand == isa::MatrixOperand::b || l.operand == isa::MatrixOperand::scale_b;
    const std::string depth = l.item_bits == 8 && l.type == isa::Type::none ? "k block" : l.kept_k ? "kept k" : "k";
    const auto range = [](int first, int run) {
      return run == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + run - 1);
    };
    const int across = g.across ? g.run : 1, down = g.across ? 1 : g.run;
    for (int c = 0; c < l.cols; c += across)
      text(x0 + (c + across / 2.0) * unit_w, y0 - 6, "middle", range(c, across), R"(class="axis")");
    for (int r = 0; r < l.rows; r += down)
      text(x0 - 7, y0 + (r + down / 2.0) * unit_h + 3.5, "end", range(r, down), R"(class="axis")");
    text(x0 + grid_w() / 2.0, y0 - 20, "middle", a_like ? depth + " (col)" : "n (col)", R"(class="name")");
    const double y = y0 + grid_h() / 2.0, x = x0 - axis_w + 8;
    text(x, y, "middle", b_like ? depth + " (row)" : "m (row)",
         fmt::format(R"x(class="name" transform="rotate(-90 {:.1f} {:.1f})")x", x, y));
  }

  void block(int b, int x0, int y0) {
    axes(x0, y0);
    for (int r = 0; r < l.rows; r += g.across ? 1 : g.run)
      for (int c = 0; c < l.cols; c += g.across ? g.run : 1) cell(x0, y0, {b, r, c});
    put(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#303840" stroke-width="1.2"/>)", x0, y0,
        grid_w(), grid_h());
    if (l.blocks > 1) text(x0 - axis_w + 4, y0 - 20, "start", fmt::format("block {}", b), R"(font-weight="600")");
  }

  void legend(int y) {
    int x = margin;
    for (int lane = l.first_lane; lane < l.first_lane + l.used_lanes() / l.copies(); lane += lane_group) {
      put(R"(<rect x="{}" y="{}" width="14" height="14" fill="{}"/>)", x, y - 11, group_colour(lane, 0.80));
      text(x + 20, y, "start",
           fmt::format("lanes {}-{}", lane, std::min(lane + lane_group, l.first_lane + l.used_lanes()) - 1));
      x += 104;
    }
    std::string notes = l.registers() > 1 ? "darker: higher register" : "";
    if (l.copies() > 1) notes += fmt::format("; every {} lanes hold the same", l.used_lanes() / l.copies());
    if (l.used_lanes() < l.lanes) notes += fmt::format("{}the other lanes are not read", notes.empty() ? "" : "; ");
    text(x, y, "start", notes, R"(fill="#404a54")");
  }
};

}  // namespace

std::string layout_svg(const OperandLayout& l, std::string_view instruction, std::string_view target) {
  Drawing d(l);
  const int fitting = std::max(1, 1500 / (d.grid_w() + axis_w + gap));
  const int columns = std::min(l.blocks, static_cast<int>(std::bit_floor(static_cast<unsigned>(fitting)))),
            rows = l.blocks / columns;
  const int step_x = d.grid_w() + axis_w + gap, step_y = d.grid_h() + axis_h + gap;
  const int width = std::max(720, 2 * margin + columns * step_x - gap),
            height = header + rows * step_y - gap + 44 + margin;
  std::string maps;
  for (const auto& f : formulas(l)) maps += (maps.empty() ? "" : ";   ") + f;
  d.text(margin, 32, "start", fmt::format("{}  ({}, wave{})", instruction, target, l.lanes),
         R"(font-size="17" font-weight="600")");
  d.text(margin, 54, "start",
         fmt::format("{}.  Each cell: lane{} above, register below.{}", title(l), l.copies() > 1 ? "s" : "",
                     l.inferred ? "  (inferred)" : ""),
         R"(font-size="13")");
  d.text(margin, 74, "start", maps + "   (item: number of the element in its lane)",
         R"(font-size="12" fill="#404a54" font-family="monospace")");
  for (int b = 0; b < l.blocks; ++b)
    d.block(b, margin + axis_w + b % columns * step_x, header + axis_h + b / columns * step_y);
  d.legend(height - margin);
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="Helvetica, Arial, sans-serif" font-size="{2}" fill="#10161c">
<style>.axis{{fill:#5a6672;font-size:9px}} .name{{font-size:11px;font-weight:600}}</style>
<rect width="{0}" height="{1}" fill="#ffffff"/>
{3}</svg>
)",
      width, height, font, d.body);
}

}  // namespace wavesmith::tools
