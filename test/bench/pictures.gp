# Draws the pictures of doc/benchmarks.md from the data in a directory: horizontal bars, the middle half of the values as a line.
# The background is white, because no grey has enough contrast on light and on dark pages.
directory = ARG1
grey = '#57606a'
set terminal svg noenhanced size 760,300 font 'sans-serif,13' linewidth 1 background rgb 'white'
set datafile separator '|'
set border 0
set style fill solid 1.0 noborder
set tics scale 0 textcolor rgb grey
set ytics font 'monospace,13'
unset xtics
unset key
set yrange [*:*] reverse
set lmargin 22
set bmargin 3
set tmargin 2.5
colour(ours) = ours == 1 ? 0x3b82c4 : 0x808a94
figure(x) = x == 0 ? '0' : x < 10 ? sprintf('%.1f', x) : sprintf('%.0f', x)
shown(x, low, high) = low < high ? sprintf('%s (%s-%s)', figure(x), figure(low), figure(high)) : figure(x)
bars = 'using (0):0:(0):2:($0 - 0.33):($0 + 0.33):(colour($5)):ytic(1) with boxxyerror linecolor rgb variable'

set macros
set label 1 system('echo "blue: this extension; $MACHINE"') at screen 0.01, screen 0.03 textcolor rgb grey font 'sans-serif,10'
draw = "plot data @bars, data using 2:0:3:4 with xerrorbars linecolor rgb grey pointtype 0, data using 4:0:(shown($2, $3, $4)) with labels left offset 1,0 textcolor rgb grey"

set output directory.'/cost.svg'
data = directory.'/cost'
stats data using 4 nooutput
set xrange [0:STATS_max * 1.25]
set title 'CPU time of a generated id, ns' textcolor rgb grey
@draw

set terminal svg noenhanced size 980,300 font 'sans-serif,13' linewidth 1 background rgb 'white'
set output directory.'/insert.svg'
set multiplot layout 1,2
set title 'Rows inserted in a second of CPU time, thousands' textcolor rgb grey
data = directory.'/rows'
stats data using 4 nooutput
set xrange [0:STATS_max * 1.4]
@draw
unset label 1
set title 'Its primary key, bytes a row' textcolor rgb grey
data = directory.'/size'
stats data using 4 nooutput
set xrange [0:STATS_max * 1.25]
@draw
unset multiplot

if (system('[ -f '.directory.'/settled ] && echo 1') eq '1') {
  set terminal svg noenhanced size 960,300 font 'sans-serif,13' linewidth 1 background rgb 'white'
  set output directory.'/settled.svg'
  set lmargin 56
  # Ours are 0, so no bar is blue.
  set label 1 system('echo "$MACHINE"') at screen 0.01, screen 0.03 textcolor rgb grey font 'sans-serif,10'
  set title 'Rows that a reader misses, %' textcolor rgb grey
  data = directory.'/settled'
  stats data using 4 nooutput
  set xrange [0:STATS_max * 1.4]
  @draw
}
